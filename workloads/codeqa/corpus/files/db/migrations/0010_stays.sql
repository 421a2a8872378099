-- 0010 stays
-- One row a stay. Prices are text, so that no driver rounds them.
-- asked for by counting-house

begin;
set local lock_timeout = '500ms';

create table stays (
  id bigint generated always as identity primary key,
  ticket text not null,
  written_at timestamptz not null default now()
);
create index stays_by_time on stays (written_at);
alter table stays set (fillfactor = 78);
insert into schema_steps (number, name) values (10, 'stays');
commit;

-- back:
-- drop table stays;
