// Validators for the two generations of JSON Schema in use, in a separate file so that they are loaded on demand.
export { Ajv } from 'ajv'
export { Ajv2020 } from 'ajv/dist/2020.js'
