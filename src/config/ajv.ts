// Loaded when there is a configuration to check: a start without any should not wait for it.
export { Ajv } from 'ajv'
