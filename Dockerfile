# The command steadfast, with the packages that the tests pass with; models are elsewhere (an API).
#   docker build -t steadfast . && docker run -v "$PWD:/work" steadfast run my.yaml
# Apptainer takes the same image: apptainer build steadfast.sif docker-daemon://steadfast:latest
FROM python:3.11-slim-bookworm
COPY . /steadfast
RUN pip install --no-cache-dir --require-hashes -r /steadfast/envs/requirements.txt
RUN pip install --no-cache-dir --no-deps /steadfast
WORKDIR /work
ENTRYPOINT ["steadfast"]
