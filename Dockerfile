# One static program on nothing: no shell, no package manager, no root.
#
#   docker build -t sluice .
#   docker run --rm sluice version
#   docker build --target sluice-sandbox -t sluice-sandbox .      the simulated upstream, for tries
#
# GO_IMAGE and GOPROXY are there for networks that reach images or modules by a mirror; empty means the usual one. A release names the
# image by its digest (GO_IMAGE=golang:1.26@sha256:...), VERSION and REVISION. With --platform linux/arm64 the program is built for that
# architecture, by the compiler of the machine that builds: nothing is emulated. The engine's older builder does not set BUILDPLATFORM and
# TARGETARCH: it builds for this machine.
ARG GO_IMAGE=golang:1.26

FROM --platform=${BUILDPLATFORM:-linux} ${GO_IMAGE} AS build
ARG GOPROXY=
ARG TARGETARCH=
ENV CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOPROXY=${GOPROXY}
WORKDIR /src
# The folder of temporary files of each image.
RUN mkdir -p /out/tmp && chmod 1777 /out/tmp
# The modules change rarely: in a layer of their own they are fetched once.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# Without an operating system below, the program brings its own time zones.
ARG VERSION=
ARG REVISION=
RUN GOOS=linux GOARCH=${TARGETARCH} go build -trimpath -tags timetzdata -o /programs/ \
      -ldflags "-s -w -X sluice/cmd/sluice/cli.version=${VERSION:-0.0.0-dev} -X sluice/cmd/sluice/cli.revision=${REVISION}" \
      ./cmd/sluice ./cmd/sluice-sandbox

FROM scratch AS sluice-sandbox
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="sluice-sandbox" \
      org.opencontainers.image.description="Simulates the upstream of sluice, for tries" \
      org.opencontainers.image.version="${VERSION:-0.0.0-dev}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /out/ /
COPY --from=build /programs/sluice-sandbox /sluice-sandbox
USER 65532:65532
EXPOSE 8086
STOPSIGNAL SIGTERM
ENTRYPOINT ["/sluice-sandbox"]
CMD ["serve"]

# The last stage is what a build without --target makes.
FROM scratch AS sluice
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="sluice" \
      org.opencontainers.image.description="Copies business records into Postgres and keeps the two equal" \
      org.opencontainers.image.version="${VERSION:-0.0.0-dev}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/ /
COPY --from=build /programs/sluice /sluice
# No account file is needed for a number; it is the usual one of images without root.
USER 65532:65532
EXPOSE 9464
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["/sluice", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/sluice"]
CMD ["serve"]
