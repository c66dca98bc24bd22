package advice

// An Option is named as in Go: a field of a struct of this module with its package, or, in
// lower case, an argument of a function.
type Option string

// The options that advice names.
const (
	Credentials  Option = "cluster.Options.Credentials"
	AllowProgram Option = "experiment.Bench.Programs"
	Detect       Option = "face.Options.Detect"
	Detector     Option = "face.Options.Search"
	Folders      Option = "experiment.Databases.Roots"
	Forget       Option = "faces.Options.Forget"
	Input        Option = "faces.Options.Pipeline"
	Method       Option = "faces.Options.Method"
	Metrics      Option = "cluster.Options.Metrics"
	Mirror       Option = "frontend.Pipeline.Mirror"
	LabelArray   Option = "dataset.Arrays.Y"
	Names        Option = "dataset.Options.Names"
	Place        Option = "face.Options.At"
	Projection   Option = "frontend.Pipeline.Projection"
	SampleArray  Option = "dataset.Arrays.X"
	Seed         Option = "experiment.Protocol.Seed"
	Size         Option = "dataset.Frame.Size"
	Split        Option = "experiment.Protocol.Split"
	Tags         Option = "faces.ReadOptions.Tags"

	Data        Option = "data"         // the images or the file that an action reads
	Model       Option = "model"        // the file of the model; without a value, the one at hand
	Output      Option = "output"       // the file or folder to write
	Parameter   Option = "parameter"    // of a method, with the value NAME=VALUE
	Person      Option = "person"       // the name of all faces
	SkipTrained Option = "skip trained" // leave out images that the model was trained on
	Strangers   Option = "strangers"    // photographs of people who are not enrolled
)

// A Verb is named as the function in Go that does it.
type Verb string

// The verbs that advice names.
const (
	Calibrate      Verb = "faces.Recogniser.Calibrate"
	Compare        Verb = "faces.Verify"
	DescribeData   Verb = "dataset.Describe"
	Enrol          Verb = "faces.Recogniser.Enrol"
	Group          Verb = "group.InPhotographs"
	ListParameters Verb = "method.Params"
	MeasureNetwork Verb = "measure.Law"
	Open           Verb = "faces.Open"
	RunPlan        Verb = "experiment.Bench.Run"
	Survey         Verb = "faces.Recogniser.Survey"
	Train          Verb = "faces.Train"
	Undo           Verb = "faces.Undo"
	WritePlan      Verb = "experiment.WritePlan"
)

// Go is the Wording for programs in Go: a function, and fields of options with their values.
var Go Wording = inGo{}

type inGo struct{}

func (inGo) Setting(s Setting) string {
	if s.Value == "" {
		return string(s.Option)
	}
	return string(s.Option) + ": " + s.Value
}

func (g inGo) Action(a Action) string {
	text, joint := string(a.Verb), " with "
	for _, s := range a.Settings {
		if s.Option == Model || s.Option == Output {
			continue // what a program keeps where is its own affair
		}
		text += joint + g.Setting(s)
		joint = ", "
	}
	return text
}

// Settings are all settings of a, those of its actions too.
func (a Advice) Settings() (all []Setting) {
	for _, p := range a {
		if p.Setting.Option != "" {
			all = append(all, p.Setting)
		}
		all = append(all, p.Action.Settings...)
	}
	return all
}
