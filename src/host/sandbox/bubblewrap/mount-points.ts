// Mount points of additional files inside the sandbox: no workspace and no part of the system is there.
export const mountPoint = (name: string) => `/run/toolgate/${name}`

/** The server's own Node. */
export const NODE_MOUNT_POINT = mountPoint('node')
