package mqtt_test

import (
	"fmt"

	"nrdl.example/nrdl/server/mqtt"
)

// The address of a broker is shown without its password.
func Example() {
	b, err := mqtt.ParseBroker("mqtts://camera:secret@broker.local/home/faces")
	fmt.Println(b, err)
	_, err = mqtt.ParseBroker("http://broker.local")
	fmt.Println(err)
	// Output:
	// mqtts://camera:xxxxx@broker.local:8883 <nil>
	// it is no URL such as mqtt://user:password@broker:1883 or mqtts://broker; write @, /, # and % in a password as %40, %2F, %23 and %25
}
