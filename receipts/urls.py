from django.urls import path

from receipts import views

app_name = "receipts"
urlpatterns = [
    path(".well-known/touchstone/keys.json", views.keys_json, name="keys"),
    path(".well-known/jwks.json", views.jwks, name="jwks"),
]
