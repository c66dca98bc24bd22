package dataset

// FolderNames turns people's names into folder names that are valid on every
// system and differ in more than case. Forbidden characters become _; a Windows
// device name, a hidden or an empty name gets a _ before it; long names are
// cut, and equal ones get a number. No name is Unknown or NoFaceFolder.
func FolderNames(people []string) []string {
	return fileNames(append([]string{Unknown, NoFaceFolder}, people...))[2:]
}
