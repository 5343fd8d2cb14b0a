import applyPatch from './apply_patch.ts'
import copyFile from './copy_file.ts'
import createDirectory from './create_directory.ts'
import deleteFile from './delete_file.ts'
import downloadFile from './download_file.ts'
import editFile from './edit_file.ts'
import editNotebookCell from './edit_notebook_cell.ts'
import listDirectory from './list_directory.ts'
import moveFile from './move_file.ts'
import multiEdit from './multi_edit.ts'
import readFile from './read_file.ts'
import undo from './undo.ts'
import uploadFile from './upload_file.ts'
import writeFile from './write_file.ts'

export default [
  readFile,
  writeFile,
  editFile,
  multiEdit,
  editNotebookCell,
  applyPatch,
  deleteFile,
  moveFile,
  copyFile,
  createDirectory,
  listDirectory,
  undo
]

/** Tools that routes call: their content passes through neither params nor results. */
export const transferTools = [downloadFile, uploadFile]
