"""JSON-RPC 2.0 over whole messages: ids, order, cancellation, and the one place where an exception becomes a wire error."""
