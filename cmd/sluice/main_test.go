package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"sluice/pipeline/warehouse/warehousetest"
)

// asProgram makes the test binary the program itself: tests that kill or signal
// processes start it anew.
const asProgram = "SLUICE_TEST_AS_PROGRAM"

// withMinute is how long the minute of the limits is in such a process.
const withMinute = "SLUICE_TEST_MINUTE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if text := os.Getenv(withMinute); text != "" {
			scaled(text)
		}
		main()
	}
	os.Exit(warehousetest.Run(m))
}

// scaled is main with another minute.
func scaled(text string) {
	minute, err := time.ParseDuration(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(codeUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Main(ctx, os.Args[1:], Env{
		Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, Minute: minute,
	})
	stop()
	os.Exit(code)
}
