package sandbox

import "time"

// Grace is how long a command has between SIGTERM and SIGKILL when its time is
// up or the caller cancels.
const Grace = 2 * time.Second

// withDefaults fills the zero fields from [DefaultLimits]. Negative fields stay
// and mean no limit.
func (l Limits) withDefaults() Limits {
	return Limits{
		Wall:      or(l.Wall, DefaultLimits.Wall),
		CPU:       or(l.CPU, DefaultLimits.CPU),
		Data:      or(l.Data, DefaultLimits.Data),
		FileSize:  or(l.FileSize, DefaultLimits.FileSize),
		Tmp:       or(l.Tmp, DefaultLimits.Tmp),
		Processes: or(l.Processes, DefaultLimits.Processes),
		Files:     or(l.Files, DefaultLimits.Files),
		Head:      or(l.Head, DefaultLimits.Head),
		Tail:      or(l.Tail, DefaultLimits.Tail),
	}
}

func or[T int | int64 | time.Duration](v, other T) T {
	if v == 0 {
		return other
	}
	return v
}
