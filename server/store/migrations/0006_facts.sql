-- What is known of people beside their faces: when they may have been born, as 2015-03-28, 2015-03 or 2015; and the ids,
-- with commas between them, of people who look alike and are somebody else.
ALTER TABLE person ADD COLUMN born TEXT NOT NULL DEFAULT '';
ALTER TABLE person ADD COLUMN differs TEXT NOT NULL DEFAULT '';
