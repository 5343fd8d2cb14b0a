import shellExec from './shell_exec.ts'

export default [shellExec]
