package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice"
)

// initAnswers are the answers of sluice init, as they are written.
type initAnswers struct {
	Name, ID, DataCenter    string
	Services                string
	Vendor                  string
	APIURL, AuthURL, Chat   string
	ClientID, SecretsIn     string
	Database                string
	clientSecret, refreshes string
}

// Answers with a meaning of their own.
const (
	databaseInEnv = "${SLUICE_DATABASE_URL}"
	secretsInEnv  = "env"
)

// chatService is the service with an address of its own.
const chatService = "chat"

// servicesOf takes the answer about services apart: accounting=standard,inventory=standard.
func servicesOf(answer string) (map[string]string, error) {
	chosen := make(map[string]string)
	for part := range strings.SplitSeq(answer, ",") {
		name, plan, found := strings.Cut(strings.TrimSpace(part), "=")
		switch _, twice := chosen[name]; {
		case !found || !serviceWord.MatchString(name) || !serviceWord.MatchString(plan):
			return nil, fmt.Errorf("wants services with their plans, such as accounting=standard,chat=free, not %q", answer)
		case twice:
			return nil, fmt.Errorf("names %s twice", name)
		}
		chosen[name] = plan
	}
	return chosen, nil
}

// Shapes of words.
//
//nolint:gochecknoglobals // constants
var (
	serviceWord = regexp.MustCompile(`^[a-z_]+$`)
	noWord      = regexp.MustCompile(`[^a-z0-9]+`)
	// plainText is a text that YAML reads as itself without quotes.
	plainText = regexp.MustCompile(
		`^(?:\$\{[A-Za-z_]\w*\}|[A-Za-z][\w.-]*|[0-9]+\.[0-9]*[A-Za-z][\w.]*|(?:file:|https?:/|postgres(?:ql)?:/)?/[\w./:@?=&%-]+)$`)
)

// references are where the client secret and the refresh token will be: in variables, or in files
// of a folder.
func (a initAnswers) references() (string, string) {
	if a.clientSecret != "" {
		return a.clientSecret, a.refreshes
	}
	word := strings.Trim(noWord.ReplaceAllString(strings.ToLower(a.Name), "_"), "_")
	if word == "" || word[0] >= '0' && word[0] <= '9' {
		word = "org_" + word
	}
	if a.SecretsIn == secretsInEnv {
		return "${" + strings.ToUpper(word) + "_CLIENT_SECRET}", "${" + strings.ToUpper(word) + "_REFRESH_TOKEN}"
	}
	return "file:" + filepath.Join(a.SecretsIn, word+"_client_secret"), "file:" + filepath.Join(a.SecretsIn, word+"_refresh_token")
}

// render fills the answers into the example of the configuration. It fails if a line of the example
// that it fills in is not there once.
func (a initAnswers) render() (string, error) {
	secret, token := a.references()
	services, err := servicesOf(a.Services)
	if err != nil {
		return "", err
	}
	chat := "  chat_url: " + a.Chat
	if _, wanted := services[chatService]; !wanted {
		chat = "  # chat_url: https://chat.svc.example.com"
	}
	text := sluice.ExampleConfig
	changes := [][2]string{
		{"  url: ${SLUICE_DATABASE_URL}", "  url: " + yamlText(a.Database)},
		{"  name: Svc", "  name: " + yamlText(a.Vendor)},
		{"  api_url: https://www.svcapis.example.com", "  api_url: " + yamlText(a.APIURL)},
		{"  chat_url: https://chat.svc.example.com", chat},
		{"  auth_url: https://accounts.svc.example.com", "  auth_url: " + yamlText(a.AuthURL)},
		{"  - name: acme", "  - name: " + yamlText(a.Name)},
		{`    id: "10234695"`, "    id: " + strconv.Quote(a.ID)},
		{"    data_center: com", "    data_center: " + yamlText(a.DataCenter)},
		{"      client_id: 1000.PLACEHOLDER", "      client_id: " + yamlText(a.ClientID)},
		{"      client_secret: ${ACME_CLIENT_SECRET}", "      client_secret: " + yamlText(secret)},
		{"      refresh_token: ${ACME_REFRESH_TOKEN}", "      refresh_token: " + yamlText(token)},
	}
	for _, change := range changes {
		if strings.Count(text, "\n"+change[0]+"\n") != 1 {
			return "", fmt.Errorf("the example of the configuration has the line %q not once", change[0])
		}
		text = strings.Replace(text, "\n"+change[0]+"\n", "\n"+change[1]+"\n", 1)
	}
	before, block, found := strings.Cut(text, "\n    services:\n")
	block, after, ends := strings.Cut(block, "\n    # What upstream tells")
	if !found || !ends {
		return "", errors.New("the example of the configuration has its services not where they were")
	}
	_, before, found = strings.Cut(before, "\n#\n")
	if !found {
		return "", errors.New("the example of the configuration has no paragraph at its beginning")
	}
	before = "# Configuration of sluice, made by \"sluice init\" from config.example.yaml. \"sluice check\" checks it.\n#\n" + before
	return before + "\n    services:\n" + serviceBlock(block, services) + "\n    # What upstream tells" + after, nil
}

// serviceBlock writes the chosen services where the example has them, and makes comments of the
// others. Services that the example has not follow the last one.
func serviceBlock(block string, chosen map[string]string) string {
	const indent = "      "
	left := maps.Clone(chosen)
	var lines []string
	current := ""
	for line := range strings.SplitSeq(block, "\n") {
		rest := strings.TrimPrefix(line, indent)
		name, flow, isComment := strings.Cut(strings.TrimPrefix(rest, "# "), ": {plan: ")
		isComment = isComment && strings.HasPrefix(rest, "# ") && flow != ""
		switch {
		case isComment && left[name] != "":
			line = indent + name + ": {plan: " + left[name] + "}"
			delete(left, name)
		case strings.HasSuffix(rest, ":") && serviceWord.MatchString(strings.TrimSuffix(rest, ":")):
			current = strings.TrimSuffix(rest, ":")
			delete(left, current)
			if chosen[current] == "" {
				line = indent + "# " + rest
			}
		case strings.HasPrefix(rest, "  plan: ") && chosen[current] != "":
			line = indent + "  plan: " + chosen[current]
		case strings.HasPrefix(rest, "  plan: "):
			line = indent + "# " + rest
		}
		lines = append(lines, line)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		lines = append(lines, indent+name+": {plan: "+left[name]+"}")
	}
	return strings.Join(lines, "\n")
}

// yamlText writes a text as a value of YAML, in quotes where it could be read as anything else.
func yamlText(text string) string {
	word := strings.ToLower(text)
	if plainText.MatchString(text) && !slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}, word) {
		return text
	}
	return strconv.Quote(cmp.Or(text, ""))
}
