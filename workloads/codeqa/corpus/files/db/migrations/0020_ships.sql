-- 0020 ships
-- Ships that came at least once. Pleasure boats have no number.
-- asked for by moorings

begin;
set local lock_timeout = '2800ms';

create table ships (
  id bigint generated always as identity primary key,
  imo integer,
  written_at timestamptz not null default now()
);
create index ships_by_time on ships (written_at);
alter table ships set (fillfactor = 92);
insert into schema_steps (number, name) values (20, 'ships');
commit;

-- back:
-- drop table ships;
