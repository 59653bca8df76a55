#pragma once

#include <stddef.h>

/// A file that the program contains.
typedef struct {
  const unsigned char *start;
  size_t count;
} Resource;

// The sources of the descriptions of the two listeners.
Resource resource_openapi(void);
Resource resource_openapi_operator(void);

// The texts in each language.
Resource resource_texts_en(void);
Resource resource_texts_de(void);
Resource resource_texts_fr(void);
Resource resource_texts_es(void);
Resource resource_texts_zh_hans(void);

// The files of the pages.
Resource resource_base_css(void);
Resource resource_page_css(void);
Resource resource_embed_css(void);
Resource resource_icon_svg(void);
Resource resource_code_js(void);
Resource resource_embed_js(void);

// The files of the board, which shares the icon and the base of the style.
Resource resource_board_css(void);
Resource resource_board_js(void);

// The templates of mails.
Resource resource_confirm_txt(void);
Resource resource_confirm_html(void);
Resource resource_already_txt(void);
Resource resource_already_html(void);

// The schemas of the stores.
Resource resource_sqlite_tables_sql(void);
Resource resource_tables_sql(void);
Resource resource_add_sign_ups_sql(void);
Resource resource_number_pending_sql(void);
Resource resource_guards_sql(void);
Resource resource_keys_sql(void);
Resource resource_webhooks_sql(void);
