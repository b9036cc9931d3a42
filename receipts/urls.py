from django.urls import path

from receipts import views

app_name = "receipts"
urlpatterns = [
    path(".well-known/touchstone/keys.json", views.keys_json, name="keys"),
    path(".well-known/touchstone/keys.dsse.json", views.keys_dsse, name="keys_dsse"),
    path(".well-known/touchstone/root.json", views.root_json, name="root"),
    path(".well-known/jwks.json", views.jwks, name="jwks"),
]
