/** Returns the name of the server that a call or an event is of, at a hub; undefined at a server itself. */
export const serverNameOf = (of: object): string | undefined => (of as { server_name?: string }).server_name
