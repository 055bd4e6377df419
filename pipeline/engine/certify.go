package engine

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/lineage/certify"
	"sluice/pipeline/warehouse/certificates"
	"sluice/pipeline/warehouse/verifications"
)

// Certificates returns the store of certificates.
func (a *App) Certificates() *certificates.Store { return certificates.New(a.DB.Pool()) }

// CertificateKeys returns the keys of certificates, derived from the sealing keys: the first one
// signs, all are accepted.
func (a *App) CertificateKeys() ([]certify.Key, error) {
	sealing, err := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	keys := make([]certify.Key, len(sealing))
	for i := range sealing {
		if keys[i], err = certify.NewKey(sealing[i]); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Certify issues a certificate for an organization, with a sample of at most so many calls. It
// returns the certificate with its file.
func (a *App) Certify(ctx context.Context, organization string, calls int) (*certify.Certificate, []byte, error) {
	o, err := a.ChooseOrganization(organization)
	if err != nil {
		return nil, nil, err
	}
	keys, err := a.CertificateKeys()
	if err != nil {
		return nil, nil, err
	}
	hours := a.Config.Retention
	options := certify.Options{
		Organization: o.Key, Program: a.options.Version, Store: a.Certificates(), Key: keys[0],
		Retention: certify.Retention{
			Calls: int64(hours.Calls.Hours()), Runs: int64(hours.Runs.Hours()), Raw: int64(hours.Raw.Hours()), History: int64(hours.History.Hours()),
		},
	}
	for _, stream := range a.Streams() {
		if stream.Organization == o.Key && stream.Work == pipeline.WorkList && a.Enabled(stream) {
			options.Streams = append(options.Streams, stream)
		}
	}
	if calls > 0 {
		found, err := a.Verify(ctx, VerifyOptions{Organization: o.Key, Calls: calls, Sample: 1})
		if err != nil {
			return nil, nil, err
		}
		v := &found.Verification
		options.Sample = certify.Sample{
			Allowed: calls, Calls: v.Calls, Records: v.Records, Violations: v.Violations, Outcome: string(v.Outcome), Verification: v.ID,
		}
	}
	if options.Checks, err = a.Verifications().Checks(ctx, verifications.Scope{Organization: o.Key}); err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", o.Key, err)
	}
	return certify.Issue(ctx, options)
}

// CheckCertificate compares the warehouse with the file of a certificate.
func (a *App) CheckCertificate(ctx context.Context, file []byte) (certify.Result, error) {
	keys, err := a.CertificateKeys()
	if err != nil {
		return certify.Result{}, err
	}
	c, err := certify.Open(file, keys)
	if errors.Is(err, certify.ErrNoCertificate) {
		return certify.Result{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if err != nil {
		return certify.Result{}, err
	}
	return certify.Check(ctx, a.Certificates(), c)
}
