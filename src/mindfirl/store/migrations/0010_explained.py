from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("store", "0009_linkage"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignedpair",
            name="explained",
            field=models.BooleanField(default=False),
        ),
    ]
