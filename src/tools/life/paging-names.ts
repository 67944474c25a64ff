/** Usual names of pagination, in the form of `plainName`: query parameters, and members of responses. [inf] */
export const PAGING_PARAMETERS: Readonly<
  Record<'size' | 'page' | 'offset' | 'cursor' | 'backwards', RegExp>
> = {
  size: /^(?:limit|pagesize|perpage|size|count|maxresults?|max|rows|take|top|first|pagelimit|resultsperpage|itemsperpage|maxpagesize|maxitems|num)$/,
  page: /^(?:page|pagenumber|pageno|pagenum|pageindex|currentpage|p)$/,
  offset: /^(?:offset|skip|start|startat|startindex|from|pageoffset|firstresult)$/,
  cursor:
    /^(?:cursor|nextcursor|startcursor|pagecursor|pagetoken|nextpagetoken|nexttoken|continuation|continuationtoken|paginationtoken|after|pageafter|startingafter|afterid|marker|scrollid|bookmark|skiptoken|startkey|pagestart)$/,
  backwards: /^(?:before|endingbefore|beforeid|pagebefore|prevcursor|previouscursor)$/,
};

export const PAGING_MEMBERS: Readonly<Record<'cursor' | 'link' | 'pages' | 'more' | 'total', RegExp>> = {
  cursor:
    /^(?:nextcursor|nextpagetoken|nexttoken|continuationtoken|continuation|paginationtoken|endcursor|nextmarker|nextpagecursor|cursorsafter|nextafter|nextscrollid|scrollid|bookmark|nextkey|next|nextpage|cursor|after|pagetoken|marker)$/,
  link: /^(?:nexturl|nextlink|odatanextlink|nextpageurl|nextpagelink|nexthref|nexturi|linksnext|linksnexthref|nextpageuri)$/,
  pages: /^(?:totalpages?|pagecount|pagestotal|pages|lastpage|numpages|nbpages|maxpage)$/,
  more: /^(?:hasmore|hasnext|hasnextpage|hasmoreitems|hasmorepages|more|ismore|morepages|moreresults|istruncated)$/,
  total:
    /^(?:total|totalcount|totalresults|totalitems|totalrecords|totalelements|totalhits|recordstotal|totalsize)$/,
};

/** A name without case and punctuation: `page[size]` and `pageSize` → `pagesize`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
