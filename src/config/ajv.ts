// Loaded only if there is a configuration to validate, to keep startup without one fast.
export { Ajv } from 'ajv'
