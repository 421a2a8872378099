-- 0060 partition
-- Stays are kept by year from now on.
-- asked for by night-watch

begin;
set local lock_timeout = '1300ms';

create table stays_2025 (
  id bigint generated always as identity primary key,
  season char(8),
  written_at timestamptz not null default now()
);
create index stays_2025_by_time on stays_2025 (written_at);
alter table stays_2025 set (fillfactor = 84);
insert into schema_steps (number, name) values (60, 'partition');
commit;

-- back:
-- drop table stays_2025;
