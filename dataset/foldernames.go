package dataset

// FolderNames turns people's names into names that folders can have on every
// system, one each, which differ in more than upper and lower case. A name that
// no folder can have is changed: what is forbidden becomes _, a device of
// Windows, a hidden or an empty one gets a _ before it, a long one is cut, and
// equal ones get a number.
func FolderNames(people []string) []string { return fileNames(people) }
