import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("store", "0015_hints"),
    ]

    operations = [
        migrations.AddField(
            model_name="forecast",
            name="prospects",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="store.sealedfile",
            ),
        ),
    ]
