-- 0030 voids
-- A voided stay keeps its row; this table says why.
-- asked for by counting-house

begin;
set local lock_timeout = '500ms';

create table voids (
  id bigint generated always as identity primary key,
  reason varchar(40),
  written_at timestamptz not null default now()
);
create index voids_by_time on voids (written_at);
alter table voids set (fillfactor = 93);
insert into schema_steps (number, name) values (30, 'voids');
commit;

-- back:
-- drop table voids;
