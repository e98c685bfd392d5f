"""
Leads, with what changed since the last run, and the five lists, by dlt (`pip install "dlt[duckdb]"`). It was not run here: a test plays its requests
against the service, with the names and the lookback of this file.

    LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… python3 dlt_leads.py

The key is of an application, with the scope leads.read; it expires after 90 days. Archived and erased leads stay in the copy: run it once a week
with refresh="drop_data".
"""
import os

LISTS = {"lead-fields": "key", "lead-stages": "id", "pipelines": "id", "lead-sources": "id", "users": "id"}


def config(url, api_key):
    leads = {
        "name": "leads",
        "primary_key": "id",
        "write_disposition": "merge",
        "columns": {"fields": {"data_type": "json"}},  # the organization's own
        "endpoint": {
            "path": "leads",
            "params": {"limit": 100},
            "paginator": {"type": "cursor", "cursor_path": "nextCursor", "cursor_param": "cursor"},
            "incremental": {
                "start_param": "updated_since",
                "cursor_path": "updatedAt",
                "initial_value": "2020-01-01T00:00:00.000Z",
                "lag": 86400,  # seconds, more than the longest run takes: pages come newest ID first, not in the order of updatedAt
            },
        },
    }
    lists = [
        {"name": path, "primary_key": key, "write_disposition": "replace", "endpoint": {"path": path, "paginator": "single_page"}}
        for path, key in LISTS.items()
    ]
    return {
        "client": {"base_url": f"{url.rstrip('/')}/api/v1/", "auth": {"type": "bearer", "token": api_key}},
        "resource_defaults": {"endpoint": {"data_selector": "items"}},
        "resources": [leads, *lists],
    }


if __name__ == "__main__":
    import dlt
    from dlt.sources.rest_api import rest_api_source

    pipeline = dlt.pipeline("leads", destination="duckdb", dataset_name="leads")
    print(pipeline.run(rest_api_source(config(os.environ["LEADS_URL"], os.environ["LEADS_API_KEY"]))))
