"""Dispatch: pairs proposed, confirmed and assigned; assignments under way."""

from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, propose, withdraw

__all__ = ["confirm", "dispatch_now", "propose", "withdraw"]
