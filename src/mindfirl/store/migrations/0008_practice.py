from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("store", "0007_idle"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="practised",
            field=models.DateTimeField(null=True),
        ),
    ]
