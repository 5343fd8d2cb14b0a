import webFetch from './web_fetch.ts'
import webSearch from './web_search.ts'

export default [webFetch, webSearch]
