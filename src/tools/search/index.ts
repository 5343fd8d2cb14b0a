import glob from './glob.ts'
import grep from './grep.ts'
import searchCode from './search_code.ts'
import searchFiles from './search_files.ts'

export default [glob, grep, searchCode, searchFiles]
