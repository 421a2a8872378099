-- 0050 exports
-- What the nightly export has sent.
-- asked for by counting-house

begin;
set local lock_timeout = '1700ms';

create table exports (
  id bigint generated always as identity primary key,
  batch_no bigint,
  written_at timestamptz not null default now()
);
create index exports_by_time on exports (written_at);
alter table exports set (fillfactor = 71);
insert into schema_steps (number, name) values (50, 'exports');
commit;

-- back:
-- drop table exports;
