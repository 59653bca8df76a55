FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libcurl4-gnutls-dev libgnutls28-dev libmicrohttpd-dev libsqlite3-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Dependencies first: this layer is cached until Package.swift changes.
COPY Package.* ./
RUN swift package resolve
COPY Sources ./Sources
# Package.swift declares the benchmarks and the tests, so their folders must be there.
COPY Benchmarks ./Benchmarks
COPY Tests ./Tests
RUN swift build -c release --static-swift-stdlib --product enlist \
 && install -D -s "$(swift build -c release --static-swift-stdlib --show-bin-path)/enlist" /out/enlist

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl3-gnutls libgnutls30 libmicrohttpd12 libsqlite3-0 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin enlist \
 && install -d -o enlist -g enlist /data
COPY --from=build /out/enlist /usr/local/bin/enlist
# The commit: docker build --build-arg REVISION="$(git rev-parse HEAD)" .
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Enlist" \
      org.opencontainers.image.description="Sign-up service of a mailing list" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
USER 10001
WORKDIR /data
VOLUME /data
# SQLite's temporary files are as large as the list, too large for a tmpfs.
ENV ENLIST_LISTEN=0.0.0.0:8080 ENLIST_DATABASE=sqlite:/data/enlist.sqlite SQLITE_TMPDIR=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The program times out on its own after 3 s and prints the reason.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/local/bin/enlist", "healthcheck"]
# Without arguments it serves; `docker run IMAGE --status-stream off` passes flags.
ENTRYPOINT ["/usr/local/bin/enlist"]
