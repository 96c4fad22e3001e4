# docker build -t sweepstakes . && docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" sweepstakes run quick
# Untested: nobody has built this image yet.
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir '/source[web]' && rm -r /source
# The compiled inner loops, once in the image instead of in every container.
ENV NUMBA_CACHE_DIR=/var/cache/sweepstakes
RUN cd /tmp && sweepstakes run quick --games 1 --quiet && rm -r runs && chmod -R a+rwX "$NUMBA_CACHE_DIR"
WORKDIR /work
ENTRYPOINT ["sweepstakes"]
CMD ["--help"]
