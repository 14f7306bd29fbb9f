import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("store", "0010_explained"),
    ]

    operations = [
        migrations.CreateModel(
            name="SignedHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("entries", models.PositiveBigIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                ("occasion", models.CharField(max_length=16)),
                ("key", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=128)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="signed_heads",
                        to="store.project",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
    ]
