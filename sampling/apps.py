from django.apps import AppConfig


class SamplingConfig(AppConfig):
    name = "sampling"
    verbose_name = "Sampling"
