import formatCode from './format_code.ts'
import getBackgroundTask from './get_background_task.ts'
import installPackage from './install_package.ts'
import listBackgroundTasks from './list_background_tasks.ts'
import runCode from './run_code.ts'
import runTests from './run_tests.ts'
import sendInput from './send_input.ts'
import shellBackground from './shell_background.ts'
import shellExec from './shell_exec.ts'
import stopBackgroundTask from './stop_background_task.ts'

export default [
  shellExec,
  runCode,
  runTests,
  installPackage,
  formatCode,
  shellBackground,
  listBackgroundTasks,
  getBackgroundTask,
  sendInput,
  stopBackgroundTask
]
