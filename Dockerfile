# check=skip=ReservedStageName
# Two images: the default one, on Debian, and a smaller one without it, --target scratch.
# docs/decisions/0010-container-image.md compares them.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libcurl4-gnutls-dev libgnutls28-dev libmicrohttpd-dev libpq-dev libpsl-dev libsqlite3-dev pkg-config python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# Dependencies first: this layer is cached until Package.swift changes.
COPY Package.* ./
RUN swift package resolve
COPY Scripts/image Scripts/image/
COPY Sources ./Sources
# Package.swift declares the benchmarks and the tests, so their folders must be there.
COPY Benchmarks ./Benchmarks
COPY Tests ./Tests
# Half the size: with little of ICU's data, only the used part of the C++ library, packed
# relocations, which the default linker cannot write, and no exported symbols.
# hadolint ignore=SC2086
RUN mkdir /static \
 && ln -s "$(clang -print-file-name=libstdc++.a)" /static/ \
 && data=$(Scripts/image/icu-data /static/icu-data.o) \
 && swift build -c release --static-swift-stdlib --product enlist $data \
      -Xswiftc -use-ld=lld -Xswiftc -L/static \
      -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
 && install -D -s "$(swift build -c release --static-swift-stdlib --show-bin-path)/enlist" /out/enlist
RUN mkdir /out/completions \
 && for shell in bash zsh fish; do \
      /out/enlist --generate-completion-script "$shell" >"/out/completions/enlist.$shell" || exit 1; \
    done

# The program is built on Debian 12 and runs on Debian 13: their libraries have the same names.
FROM debian:13-slim AS runtime
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl3t64-gnutls libgnutls30t64 libmicrohttpd12t64 libpq5 libpsl5t64 libsqlite3-0 \
 && rm -rf /var/lib/apt/lists/* /var/cache/debconf/* /var/lib/dpkg/*-old \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin enlist \
 && install -d -o enlist -g enlist /data
COPY --from=build /out/completions /usr/share/doc/enlist/completions
# For scanners: the Swift packages in the program.
COPY --from=build /src/Package.resolved /usr/share/doc/enlist/
COPY --from=build /out/enlist /usr/local/bin/enlist

FROM runtime AS files
COPY Scripts/image/files /usr/local/bin/image-files
RUN image-files /usr/local/bin/enlist /files \
 && cp --archive /data /files/

# hadolint ignore=DL3063
FROM scratch AS scratch
COPY --from=files /files /
COPY --from=build /src/Package.resolved /usr/share/doc/enlist/
COPY --from=build /out/enlist /usr/local/bin/enlist
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Enlist" \
      org.opencontainers.image.description="Sign-up service of a mailing list, without a distribution" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION"
USER 10001
WORKDIR /data
VOLUME /data
ENV ENLIST_LISTEN=0.0.0.0:8080 ENLIST_DATABASE=sqlite:/data/enlist.sqlite SQLITE_TMPDIR=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/local/bin/enlist", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/enlist"]

# The default image: the last stage.
FROM runtime
# The commit: docker build --build-arg REVISION="$(git rev-parse HEAD)" .
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Enlist" \
      org.opencontainers.image.description="Sign-up service of a mailing list" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="docker.io/library/debian:13-slim"
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
