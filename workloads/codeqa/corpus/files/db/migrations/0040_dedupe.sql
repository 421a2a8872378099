-- 0040 dedupe
-- Keys of clients that repeat a booking.
-- asked for by counting-house

begin;
set local lock_timeout = '1100ms';

alter table stays add column dedupe_key uuid;
create unique index stays_dedupe_key_once on stays (dedupe_key) where dedupe_key is not null;
insert into schema_steps (number, name) values (40, 'dedupe');
commit;

-- back:
-- alter table stays drop column dedupe_key;
