package pipeline

// ClassHinted is the class of calls that read what change notifications told of.
const ClassHinted Class = "hinted"
