// Node's own http. To a module that imports it Node gives all of its names at once, and one of them loads a client of
// WebSockets that nothing here uses, which is some 50 ms of a start. Asked for by name, it gives that alone.
export const { createServer, request } = process.getBuiltinModule('node:http')
