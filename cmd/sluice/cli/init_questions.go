package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"sluice/connectors"
	"sluice/pipeline/engine/config"
)

// initQuestion is one question of sluice init, and a flag.
type initQuestion struct {
	flag string
	// asks is the question for people, help the text of the flag.
	asks, help string
	// initial is the answer if the person gives none; "" demands one.
	initial string
	// answer is where the answer goes.
	answer func(*initAnswers) *string
	// key is the key of the configuration with the answer, by which its mistakes are found.
	key string
	// wanted says that the question arises; nil means always.
	wanted func(initAnswers) bool
}

// initQuestions are the questions, in the order in which a person is asked.
func initQuestions() []initQuestion {
	const org = "organizations[0]."
	return []initQuestion{
		{"name", "Name of the organization in commands and messages", "name of the organization in commands and messages",
			"", func(a *initAnswers) *string { return &a.Name }, org + "name", nil},
		{"id", "Its organization_id upstream: digits, which the admin console shows", "its organization_id upstream: digits",
			"", func(a *initAnswers) *string { return &a.ID }, org + "id", nil},
		{"data-center", "Its data center: the ending of the address after signing in (com, eu, in, com.au, jp, ca, com.cn, cn, sa, uk)",
			"its data center: com, eu, in, com.au, jp, ca, com.cn, cn, sa or uk", "com",
			func(a *initAnswers) *string { return &a.DataCenter }, org + "data_center", nil},
		{"services", "Services to copy, each with the organization's plan", "services to copy with the organization's plans: accounting=standard,chat=free",
			"accounting=standard,inventory=standard", func(a *initAnswers) *string { return &a.Services }, org + "services", nil},
		{"vendor", "The vendor's name as it stands in scopes (SvcBooks.…)", "the vendor's name as it stands in scopes", "Svc",
			func(a *initAnswers) *string { return &a.Vendor }, "vendor.name", nil},
		{"api-url", "Address of the API in data center com, such as https://www.svcapis.example.com", "address of the API in data center com", "",
			func(a *initAnswers) *string { return &a.APIURL }, "vendor.api_url", nil},
		{"auth-url", "Address of the authorization server in data center com, such as https://accounts.svc.example.com",
			"address of the authorization server in data center com", "", func(a *initAnswers) *string { return &a.AuthURL }, "vendor.auth_url", nil},
		{"chat-url", "Address of chat in data center com, such as https://chat.svc.example.com", "address of chat in data center com, if chat is copied",
			"", func(a *initAnswers) *string { return &a.Chat }, "vendor.chat_url", func(a initAnswers) bool {
				services, err := servicesOf(a.Services)
				return err == nil && services[chatService] != ""
			}},
		{"client-id", "The client id of the developer console", "the client id of the developer console", "",
			func(a *initAnswers) *string { return &a.ClientID }, org + "credentials.client_id", nil},
		{"secrets", "Where the secrets are: env for variables of the environment, or the absolute path of a folder for files",
			"where the secrets are: env for variables, or the absolute path of a folder for files", secretsInEnv,
			func(a *initAnswers) *string { return &a.SecretsIn }, org + "credentials.refresh_token", nil},
		{"database", "The address of a Postgres database", "the address of the database: postgres://user:${PASSWORD}@host/database", databaseInEnv,
			func(a *initAnswers) *string { return &a.Database }, "database", nil},
	}
}

// probable are answers that are right, beside which one other is judged.
func probable() initAnswers {
	return initAnswers{
		Name: "acme", ID: "1", DataCenter: "com", Services: "accounting=standard", Vendor: "Svc", APIURL: "https://api.example.com",
		AuthURL: "https://auth.example.com", Chat: "https://chat.example.com", ClientID: "1000.X", SecretsIn: secretsInEnv,
		Database: databaseInEnv,
	}
}

// judge says what is wrong with one answer, by the rules of the configuration itself.
func (q initQuestion) judge(answer string, lookup func(string) (string, bool)) error {
	if answer == "" {
		return errors.New("is missing")
	}
	if q.flag == "secrets" && answer != secretsInEnv && !strings.HasPrefix(answer, "/") {
		return errors.New("wants env, or the absolute path of a folder")
	}
	a := probable()
	*q.answer(&a) = answer
	text, err := a.render()
	if err != nil {
		return err
	}
	_, err = config.Load("config", lookup, func(string) ([]byte, error) { return []byte(text), nil }, connectors.All(), config.ForOffline)
	mistakes, ok := errors.AsType[*config.Error](err)
	if !ok {
		return err
	}
	for _, m := range mistakes.Mistakes {
		// Of the database, only the address is the person's: a variable is set later.
		if strings.HasPrefix(m.Path, q.key) && !strings.Contains(m.Text, "is not set or empty") {
			return errors.New(m.Text)
		}
	}
	return nil
}

// answered are the answers of flags and, on a terminal, of a person. Elsewhere all mistakes are
// reported at once.
func (c *cli) answered(ctx context.Context, flags *initAnswers, given func(flag string) bool) (initAnswers, error) {
	answers := *flags
	asks := isTerminal(c.env.Stdin)
	typed := make(chan string)
	if asks {
		go readLines(ctx, c.env.Stdin, typed)
	}
	var mistakes []string
	for _, q := range initQuestions() {
		into := q.answer(&answers)
		switch {
		case q.wanted != nil && !q.wanted(answers):
			continue
		case !given(q.flag) && !asks:
			*into = q.initial
		case !given(q.flag):
			if err := c.ask(ctx, q, into, typed); err != nil {
				return initAnswers{}, err
			}
			continue
		}
		switch err := q.judge(*into, c.env.LookupEnv); {
		case err != nil && asks:
			c.tellf("--%s %v.", q.flag, err)
			if err := c.ask(ctx, q, into, typed); err != nil {
				return initAnswers{}, err
			}
		case err != nil:
			mistakes = append(mistakes, fmt.Sprintf("--%s %v", q.flag, err))
		}
	}
	if len(mistakes) > 0 {
		return initAnswers{}, usage("the answers do not make a configuration, and nothing was written:\n  %s", strings.Join(mistakes, "\n  "))
	}
	return answers, nil
}

// ask asks a person until the answer fits.
func (c *cli) ask(ctx context.Context, q initQuestion, into *string, typed <-chan string) error {
	for {
		if q.initial == "" {
			c.tellf("%s:", q.asks)
		} else {
			c.tellf("%s (Enter for %s):", q.asks, q.initial)
		}
		select {
		case line, more := <-typed:
			if !more {
				return usage("the input ended before the last question: nothing was written")
			}
			if line = strings.TrimSpace(line); line == "" {
				line = q.initial
			}
			err := q.judge(line, c.env.LookupEnv)
			if err == nil {
				*into = line
				return nil
			}
			c.tellf("That does not fit: it %v.", err)
		case <-ctx.Done():
			return fmt.Errorf("interrupted, and nothing was written: %w", context.Cause(ctx))
		}
	}
}

// readLines sends the lines of an input, and closes the channel at its end. A read of a terminal
// cannot be interrupted: it ends with the process.
func readLines(ctx context.Context, input io.Reader, lines chan<- string) {
	defer close(lines)
	for scanner := bufio.NewScanner(input); scanner.Scan(); {
		select {
		case lines <- scanner.Text():
		case <-ctx.Done():
			return
		}
	}
}

// isTerminal says whether a person may be typing.
func isTerminal(input io.Reader) bool {
	file, ok := input.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
