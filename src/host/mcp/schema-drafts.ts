// The two generations of JSON Schema that servers write, in a file of its own so that they are loaded when a server is met.
export { Ajv } from 'ajv'
export { Ajv2020 } from 'ajv/dist/2020.js'
