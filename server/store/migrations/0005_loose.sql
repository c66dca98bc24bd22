-- 1: the faces of the group may be of several people.
ALTER TABLE guess ADD COLUMN loose BIGINT NOT NULL DEFAULT 0;
