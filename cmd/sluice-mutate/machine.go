package main

const (
	localpgRoom   = "cmd/sluice-sandbox/local"
	folderFile    = localpgRoom + "/folder.go"
	clusterFile   = localpgRoom + "/cluster.go"
	plantedByRoot = "^(TestNoFolderIsHandedOverByALink|TestWhatOthersPlantedIsRefused|TestWhoMayOwnAServersFolder)$"
)

// machineBugs open the machine that the program runs on to its other accounts
// (docs/decisions/0020-secrets-and-roles).
func machineBugs() []bug {
	return []bug{
		tests(localpgRoom, plantedByRoot, "handed over first", "the account that root lends owns the folder in which root makes others for it",
			edit{folderFile, "	return f, nil\n", "	return f, f.handOver()\n"},
			edit{folderFile, "	if err := f.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {\n		return fmt.Errorf(\"making the folder: %w\", err)\n	}\n",
				"	if err := os.Mkdir(filepath.Join(f.path, name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {\n		return err\n	}\n	if f.who.lent != nil {\n		return os.Chown(filepath.Join(f.path, name), int(f.who.lent.Uid), int(f.who.lent.Gid))\n	}\n"}),
		tests(localpgRoom, plantedByRoot, "a stranger's folder", "a data folder of another account is used",
			edit{localpgRoom + "/account.go", "	if !mine {\n", "	if false && !mine {\n"}),
		tests(localpgRoom, "^TestNoNameOfOthersIsFollowed$", "a link on the way", "root follows a link of another account to its own folder, and gives what is in it away",
			edit{folderFile, "		if err = who.checkWay(dir); err == nil {\n", "		if true {\n"}),
		tests(localpgRoom, "^TestAStartByHandOpensNothing$", "open by TCP", "the files of a private cluster let every account in by TCP",
			edit{clusterFile, "\"--auth-host=reject\"", "\"--auth-host=trust\""},
			edit{clusterFile, "if grep -qs '^host.*trust$' pg_hba.conf &&", "if false &&"}),
		tests("pipeline/engine/config/secrets", "^TestWhoMayOwnASecret$", "a secret that others write", "a file with a secret is read although others may write it",
			edit{"pipeline/engine/config/secrets/file.go", "mode.Perm()&0o022 != 0", "mode.Perm()&0o002 != 0"}),
		tests("pipeline/upstream", "^TestKeysAreReplaced$", "the old key in the way", "the refresh token that upstream sent stays sealed with the old key",
			edit{"pipeline/upstream/token/refresh.go", "	row.Refresh = t.inForce().sealer.again(refreshOf(a.id), row.Refresh) // before any write below\n", ""}),
		tests("sandbox", "^TestControlsAnswerHere$", "controls by any name", "a page whose name was made to stand for this machine may change what the sandbox plays",
			edit{"sandbox/shield.go", "	case !s.options.ControlAnywhere && !namesHere(r):\n", "	case false && !namesHere(r):\n"}),
		tests("sandbox/world", "^TestAFilterByTimeTakesItsSecond$", "an order without its second", "a list in the order of modification times begins behind the instant that was asked for",
			edit{"sandbox/world/sorting.go", "int(order[n])) >= since == query.Ascending", "int(order[n])) > since == query.Ascending"}),
	}
}
