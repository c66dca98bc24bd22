// Package smalldisk mounts small disks for tests of what happens when one is full. Linux has such disks.
package smalldisk

// Filling is the name of the file that fills a disk.
const Filling = "filling"
