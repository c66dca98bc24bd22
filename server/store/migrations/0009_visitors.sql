ALTER TABLE collection ADD COLUMN visitor_days BIGINT NOT NULL DEFAULT 0; -- for which faces that are not recognised are kept; 0: they are not
ALTER TABLE person ADD COLUMN portrait TEXT NOT NULL DEFAULT ''; -- face; '' is the best one

-- Where a face is from that was not recognised, and was kept. As long as it is of nobody, it is deleted
-- after the days of the collection.
CREATE TABLE visit (
	collection TEXT NOT NULL,
	face TEXT NOT NULL,
	at BIGINT NOT NULL,
	source TEXT NOT NULL,
	reference TEXT NOT NULL,
	PRIMARY KEY (collection, face),
	FOREIGN KEY (collection, face) REFERENCES face (collection, id) ON DELETE CASCADE
);
CREATE INDEX visit_at ON visit (collection, at);

-- When and where each person was recognised last.
CREATE TABLE sighting (
	collection TEXT NOT NULL,
	person TEXT NOT NULL,
	at BIGINT NOT NULL,
	source TEXT NOT NULL,
	reference TEXT NOT NULL,
	PRIMARY KEY (collection, person),
	FOREIGN KEY (collection, person) REFERENCES person (collection, id) ON DELETE CASCADE
);
