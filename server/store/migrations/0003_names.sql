CREATE INDEX person_name ON person (collection, name);
