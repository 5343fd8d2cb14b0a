// Node as a small program of the server's own: without a compiler it takes less, and is up sooner.
export const HELPER_NODE_FLAGS = ['--jitless', '--max-semi-space-size=1', '--no-warnings'] as const
