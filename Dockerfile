# The web process by default; the worker runs from the same image with another command.
FROM python:3.11-slim AS build
WORKDIR /build
COPY requirements.txt ./
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.txt
COPY verifier verifier
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation ./verifier

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 touchstone && install -d -o touchstone /data
COPY --from=build /venv /venv
COPY . /store
WORKDIR /store
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    TOUCHSTONE_DATA=/data
USER touchstone
VOLUME /data
EXPOSE 8000
# Static files lie in the data folder, whose volume is younger than the image: hence at start.
CMD ["sh", "-c", "python manage.py collectstatic --no-input --verbosity=0 && exec gunicorn --config=python:config.gunicorn --bind=0.0.0.0:8000 config.wsgi"]
