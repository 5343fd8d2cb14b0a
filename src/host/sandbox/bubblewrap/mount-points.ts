// Where a sandboxed program finds what is put there for it alone: no workspace and no part of the system lies there.
export const mountPoint = (name: string) => `/run/toolgate/${name}`

/** The server's own Node. */
export const NODE_MOUNT_POINT = mountPoint('node')
