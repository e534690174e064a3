// Run as a worker it listens by itself, and is spoken to by elk-api.
import "elkjs/lib/elk-worker.min.js";
